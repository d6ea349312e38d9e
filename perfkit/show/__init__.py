"""What people look at: tables, pictures, sliders."""
